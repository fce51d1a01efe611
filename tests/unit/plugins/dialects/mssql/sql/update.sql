update "sales"."Order" set "Total" = cast(@rowhouse_1 as decimal(10,2)), "At" = cast(@rowhouse_2 as datetime2(7)) where ("Order"."CustomerId" = @rowhouse_3) and ("Order"."No" = @rowhouse_4)
-- @rowhouse_1 VarChar(8000) 12.5
-- @rowhouse_2 VarChar(8000) 2009-01-02T03:04:05.1
-- @rowhouse_3 Int 1
-- @rowhouse_4 VarChar(8000) A
