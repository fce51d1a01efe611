select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" order by convert(nvarchar(max), "t"."K") desc offset @rowhouse_1 rows fetch next @rowhouse_2 rows only
-- @rowhouse_1 BigInt 0
-- @rowhouse_2 BigInt 100
