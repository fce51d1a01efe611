declare @keys table (n int primary key, k0 int, k1 nvarchar(8)); insert into "sales"."Order" ("CustomerId", "No", "Total") output 0, inserted."CustomerId", inserted."No" into @keys (n, k0, k1) values (@rowhouse_1, @rowhouse_2, cast(@rowhouse_3 as decimal(10,2))); insert into "sales"."Order" ("CustomerId", "No", "Total") output 1, inserted."CustomerId", inserted."No" into @keys (n, k0, k1) values (@rowhouse_4, @rowhouse_5, cast(@rowhouse_6 as decimal(10,2))); select k0 as "CustomerId", k1 as "No" from @keys as made order by made.n
-- @rowhouse_1 BigInt 1
-- @rowhouse_2 NVarChar(4000) A
-- @rowhouse_3 VarChar(8000) 1.5
-- @rowhouse_4 BigInt 1
-- @rowhouse_5 NVarChar(4000) B
-- @rowhouse_6 VarChar(8000) null
