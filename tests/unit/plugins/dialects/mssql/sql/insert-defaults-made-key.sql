declare @keys table (n int primary key, k0 uniqueidentifier); insert into "sales"."Line" output 0, inserted."Guid" into @keys (n, k0) default values; select k0 as "Guid" from @keys order by n
