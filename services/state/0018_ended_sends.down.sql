DROP FUNCTION forget_ended_sends(interval);
