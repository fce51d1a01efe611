declare @keys table (n int primary key, k0 int); insert into "dbo"."Customer" ("Name", "City") output 0, inserted."Id" into @keys (n, k0) values (@rowhouse_1, @rowhouse_2); select k0 as "Id" from @keys as made order by made.n
-- @rowhouse_1 NVarChar(4000) Zoë
-- @rowhouse_2 NVarChar(4000) Bern
