"""The pipeline that every call of a tool passes, one stage a module, in the order of `pipeline`."""
