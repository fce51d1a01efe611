select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" order by "t"."Total" desc, "t"."CustomerId" asc, "t"."No" asc offset @1 rows fetch next @2 rows only
-- @1 BigInt 0
-- @2 BigInt 100
