update "sales"."Order" set "Total" = cast(@1 as decimal(10,2)), "At" = cast(@2 as datetime2(7)) where ("Order"."CustomerId" = @3) and ("Order"."No" = @4)
-- @1 VarChar(8000) 12.5
-- @2 VarChar(8000) 2009-01-02T03:04:05.1
-- @3 Int 1
-- @4 VarChar(8000) A
