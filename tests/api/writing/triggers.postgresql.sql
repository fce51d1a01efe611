-- The triggers of shop.sql. A view of one table can be written without any.
CREATE FUNCTION refuse_tag() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'this tag is reserved' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER "TagReserved" BEFORE INSERT ON "Tag" FOR EACH ROW WHEN (NEW."Text" = 'reserved')
EXECUTE FUNCTION refuse_tag();

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO "Change" VALUES (TG_ARGV[0] || ' ' || CASE TG_OP WHEN 'DELETE' THEN OLD."Name" ELSE NEW."Name" END);
  RETURN NULL; END $$;
CREATE TRIGGER "ItemCreated" AFTER INSERT ON "Item" FOR EACH ROW EXECUTE FUNCTION note_change('created');
CREATE TRIGGER "ItemChanged" AFTER UPDATE ON "Item" FOR EACH ROW EXECUTE FUNCTION note_change('changed');
CREATE TRIGGER "ItemDeleted" AFTER DELETE ON "Item" FOR EACH ROW EXECUTE FUNCTION note_change('deleted');
