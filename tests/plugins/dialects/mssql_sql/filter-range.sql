select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."Total" between cast(@1 as decimal(38,1)) and cast(@2 as decimal(38,3))) order by "t"."CustomerId" asc, "t"."No" asc offset @3 rows fetch next @4 rows only
-- @1 VarChar(8000) -0.5
-- @2 VarChar(8000) 12345678901234567890.123
-- @3 BigInt 0
-- @4 BigInt 100
