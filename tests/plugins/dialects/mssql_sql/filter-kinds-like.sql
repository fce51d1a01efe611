select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" where (convert(varchar(36), "t"."I") like @1 escape '!') and (convert(nvarchar(max), "t"."K") like @2 escape '!') and (convert(nvarchar(max), "t"."L") like @3 escape '!') order by (select null) offset @4 rows fetch next @5 rows only
-- @1 NVarChar(4000) 6F%
-- @2 NVarChar(4000) %x%
-- @3 NVarChar(4000) y%
-- @4 BigInt 0
-- @5 BigInt 100
