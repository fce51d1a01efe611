select "t"."CustomerId" as "CustomerId", "t"."No" as "No", convert(varchar(41), "t"."Total") as "Total", "t"."At" as "At", "t"."Version" as "Version" from "sales"."Order" as "t" where ("t"."CustomerId" = @1) and ("t"."No" = @2)
-- @1 Int 1
-- @2 VarChar(8000) A-1
