select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" with (updlock) where ("t"."Id" = @rowhouse_1)
-- @rowhouse_1 Int 1
