declare @keys table (n int primary key, k0 int, k1 nvarchar(8)); insert into "sales"."Order" ("CustomerId", "No", "Total") output 0, inserted."CustomerId", inserted."No" into @keys (n, k0, k1) values (@1, @2, cast(@3 as decimal(10,2))); insert into "sales"."Order" ("CustomerId", "No", "Total") output 1, inserted."CustomerId", inserted."No" into @keys (n, k0, k1) values (@4, @5, cast(@6 as decimal(10,2))); select k0 as "CustomerId", k1 as "No" from @keys order by n
-- @1 BigInt 1
-- @2 NVarChar(4000) A
-- @3 VarChar(8000) 1.5
-- @4 BigInt 1
-- @5 NVarChar(4000) B
-- @6 VarChar(8000) null
