select count(*) as "count" from (select distinct "t"."City" as "City" from "dbo"."Customer" as "t") as "t"
