select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."CustomerId" = @rowhouse_1) and ("t"."No" = @rowhouse_2)
-- @rowhouse_1 Int 1
-- @rowhouse_2 VarChar(8000) A-1
