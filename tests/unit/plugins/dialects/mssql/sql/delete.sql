delete from "sales"."Order" where ("Order"."CustomerId" = @rowhouse_1) and ("Order"."No" = @rowhouse_2)
-- @rowhouse_1 Int 1
-- @rowhouse_2 VarChar(8000) A
