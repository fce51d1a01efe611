-- The triggers of shop.sql. A view of one table can be written without any.
CREATE TRIGGER [TagReserved] ON [Tag] AFTER INSERT AS
IF EXISTS (SELECT * FROM inserted WHERE [Text] = 'reserved')
BEGIN
  ROLLBACK TRANSACTION;
  THROW 50000, 'this tag is reserved', 1;
END
GO
CREATE TRIGGER [ItemCreated] ON [Item] AFTER INSERT AS
INSERT INTO [Change] SELECT concat('created ', [Name]) FROM inserted
GO
CREATE TRIGGER [ItemChanged] ON [Item] AFTER UPDATE AS
INSERT INTO [Change] SELECT concat('changed ', [Name]) FROM inserted
GO
CREATE TRIGGER [ItemDeleted] ON [Item] AFTER DELETE AS
INSERT INTO [Change] SELECT concat('deleted ', [Name]) FROM deleted
GO
