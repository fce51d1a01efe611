select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."Total" between cast(@rowhouse_1 as decimal(38,1)) and cast(@rowhouse_2 as decimal(38,3))) order by "t"."CustomerId" asc, "t"."No" asc offset @rowhouse_3 rows fetch next @rowhouse_4 rows only
-- @rowhouse_1 VarChar(8000) -0.5
-- @rowhouse_2 VarChar(8000) 12345678901234567890.123
-- @rowhouse_3 BigInt 0
-- @rowhouse_4 BigInt 100
