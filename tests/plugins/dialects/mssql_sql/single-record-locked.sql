select "t"."Id" as "Id", "t"."Name" as "Name", "t"."City" as "City" from "dbo"."Customer" as "t" with (updlock) where ("t"."Id" = @1)
-- @1 Int 1
