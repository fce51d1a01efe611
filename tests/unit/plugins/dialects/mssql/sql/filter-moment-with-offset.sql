select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" where ("t"."F" between cast(@rowhouse_1 as datetimeoffset(7)) and cast(@rowhouse_2 as datetimeoffset(7))) order by (select null) offset @rowhouse_3 rows fetch next @rowhouse_4 rows only
-- @rowhouse_1 VarChar(8000) 2009-01-02T03:04:05.5+02:00
-- @rowhouse_2 VarChar(8000) 2009-01-03T00:00:00
-- @rowhouse_3 BigInt 0
-- @rowhouse_4 BigInt 100
