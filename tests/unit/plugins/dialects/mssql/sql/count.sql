select count(*) as "count" from "dbo"."Customer" as "t"
