"""The service on AWS Lambda: four functions over the core, and S3 for everything that lasts.

    api      Function URL: MCP, feed, query, publish        handler okf_edge_lambda.api.handler
    search   invoked by api, and by itself over shards      handler okf_edge_lambda.search.handler
    ingest   S3 events of `incoming/*/request.json`         handler okf_edge_lambda.ingest.handler
    clock    a schedule                                     handler okf_edge_lambda.clock.handler

`settings` lists what each function is configured by, `layout` where what lies in the bucket, and
docs/decisions/0024-what-the-service-speaks.md the HTTP contract.
"""
