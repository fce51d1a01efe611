update "sales"."Order" set "Total" = cast(@rowhouse_1 as decimal(10,2)) where "Order"."CustomerId" in (select "t"."Id" as "Id" from "dbo"."Customer" as "t" where ("t"."City" = @rowhouse_2))
-- @rowhouse_1 VarChar(8000) null
-- @rowhouse_2 VarChar(8000) Bern
