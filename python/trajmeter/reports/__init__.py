"""Reports: what a person reads. A report shows scores and never computes one."""
