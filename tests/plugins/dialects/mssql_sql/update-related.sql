update "sales"."Order" set "Total" = cast(@1 as decimal(10,2)) where "Order"."CustomerId" in (select "t"."Id" as "Id" from "dbo"."Customer" as "t" where ("t"."City" = @2))
-- @1 VarChar(8000) null
-- @2 VarChar(8000) Bern
