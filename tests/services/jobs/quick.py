"""Times that a test can wait for."""

from services.jobs.job import Limits

QUICK = Limits(retry=0.2, lease=1.0)
