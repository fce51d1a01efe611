select 1 as "found" from "dbo"."Customer" as "t" where ("t"."Id" = @1)
-- @1 Int 1
