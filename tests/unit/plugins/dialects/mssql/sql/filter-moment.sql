select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."At" >= cast(@rowhouse_1 as datetime2(7))) order by "t"."CustomerId" asc, "t"."No" asc offset @rowhouse_2 rows fetch next @rowhouse_3 rows only
-- @rowhouse_1 VarChar(8000) 2009-01-02T03:04:05.1234567
-- @rowhouse_2 BigInt 0
-- @rowhouse_3 BigInt 100
