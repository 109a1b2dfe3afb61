"""Submission (RFC 6409), under aiosmtplib."""
