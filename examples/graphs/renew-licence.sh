#!/bin/sh
# Run before a failed job is tried again, where the jobs were submitted from. What it says is kept beside the job's output.
echo "asked for another licence after attempt $WMS2_ATTEMPT_ID of $WMS2_JOB_NAME ended with $WMS2_RETURN_CODE"
