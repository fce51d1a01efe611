select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" where ("t"."B" = @rowhouse_1) and ("t"."E" = cast(@rowhouse_2 as datetime2(7))) and ("t"."C" = @rowhouse_3) and ("t"."A" <= @rowhouse_4) order by (select null) offset @rowhouse_5 rows fetch next @rowhouse_6 rows only
-- @rowhouse_1 Float 1e+50
-- @rowhouse_2 VarChar(8000) 1000-01-01T00:00:00
-- @rowhouse_3 Float 1e+300
-- @rowhouse_4 BigInt 5
-- @rowhouse_5 BigInt 0
-- @rowhouse_6 BigInt 100
