declare @keys table (n int primary key, k0 uniqueidentifier); insert into "sales"."Line" ("Order", "OrderNo") output 0, inserted."Guid" into @keys (n, k0) values (@1, @2); insert into "sales"."Line" ("Order", "OrderNo") output 1, inserted."Guid" into @keys (n, k0) values (@3, @4); select k0 as "Guid" from @keys order by n
-- @1 BigInt 1
-- @2 NVarChar(4000) A
-- @3 BigInt 2
-- @4 NVarChar(4000) B
