select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" where (convert(varchar(36), "t"."I") like @rowhouse_1 escape '!') and (convert(nvarchar(max), "t"."K") like @rowhouse_2 escape '!') and (convert(nvarchar(max), "t"."L") like @rowhouse_3 escape '!') order by (select null) offset @rowhouse_4 rows fetch next @rowhouse_5 rows only
-- @rowhouse_1 VarChar(8000) 6F%
-- @rowhouse_2 VarChar(8000) %x%
-- @rowhouse_3 VarChar(8000) y%
-- @rowhouse_4 BigInt 0
-- @rowhouse_5 BigInt 100
