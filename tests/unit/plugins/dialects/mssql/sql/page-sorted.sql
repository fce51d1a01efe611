select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" order by "t"."Total" desc, "t"."CustomerId" desc, "t"."No" desc offset @rowhouse_1 rows fetch next @rowhouse_2 rows only
-- @rowhouse_1 BigInt 0
-- @rowhouse_2 BigInt 100
