select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."At" >= cast(@1 as datetime2(7))) order by "t"."CustomerId" asc, "t"."No" asc offset @2 rows fetch next @3 rows only
-- @1 VarChar(8000) 2009-01-02T03:04:05.1234567
-- @2 BigInt 0
-- @3 BigInt 100
