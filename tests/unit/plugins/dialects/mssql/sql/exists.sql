select 1 as "found" from "dbo"."Customer" as "t" where ("t"."Id" = @rowhouse_1)
-- @rowhouse_1 Int 1
