-- The triggers of shop.sql. A view of one table can be written without any.
DELIMITER //
CREATE TRIGGER TagReserved BEFORE INSERT ON Tag FOR EACH ROW BEGIN
  IF NEW.Text = 'reserved' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this tag is reserved';
  END IF;
END //
CREATE TRIGGER ItemCreated AFTER INSERT ON Item FOR EACH ROW
  INSERT INTO `Change` VALUES (concat('created ', NEW.Name)) //
CREATE TRIGGER ItemChanged AFTER UPDATE ON Item FOR EACH ROW
  INSERT INTO `Change` VALUES (concat('changed ', NEW.Name)) //
CREATE TRIGGER ItemDeleted AFTER DELETE ON Item FOR EACH ROW
  INSERT INTO `Change` VALUES (concat('deleted ', OLD.Name)) //
DELIMITER ;
