select "t"."A" as "A", convert(varchar(41), convert(decimal(19,4), "t"."B")) as "B", "t"."C" as "C", "t"."D" as "D", "t"."E" as "E", convert(varchar(34), "t"."F", 121) as "F", "t"."G" as "G", "t"."H" as "H", "t"."I" as "I", "t"."J" as "J", convert(nvarchar(max), "t"."K") as "K", "t"."L" as "L" from "dbo"."Kinds" as "t" where ("t"."B" = @1) and ("t"."E" = cast(@2 as datetime2(7))) and ("t"."C" = @3) and ("t"."A" <= @4) order by (select null) offset @5 rows fetch next @6 rows only
-- @1 Float 1e+50
-- @2 VarChar(8000) 1000-01-01T00:00:00
-- @3 Float 1e+300
-- @4 BigInt 5
-- @5 BigInt 0
-- @6 BigInt 100
