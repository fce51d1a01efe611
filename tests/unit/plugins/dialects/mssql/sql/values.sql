select distinct top(2) "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total" from "sales"."Order" as "t" where ("t"."CustomerId" = @rowhouse_1)
-- @rowhouse_1 Int 1
