"""What the operating system offers: processors, threads, processes, file locks and pipes."""
