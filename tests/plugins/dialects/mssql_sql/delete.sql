delete from "sales"."Order" where ("Order"."CustomerId" = @1) and ("Order"."No" = @2)
-- @1 Int 1
-- @2 VarChar(8000) A
