DROP TABLE outbound_marks;
DROP TABLE actions;
