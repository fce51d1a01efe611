insert into "dbo"."Customer" default values; select convert(int, scope_identity()) as "Id"
