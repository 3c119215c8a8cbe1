"""Symbolicates reports with `crashsym stream` under Spark's pipe, then groups them by fingerprint.

    spark_fleet.py CRASHSYM REPORTS SYMBOLICATED GROUPS

Writes what came out of the pipe to SYMBOLICATED, in the order of the input, and the groups as JSON, one a line, to GROUPS.
"""

import pathlib
import shutil
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

SCHEMA = """
    timestamp timestamp,
    fingerprint struct<value: string, class: string, functions: array<string>>,
    application struct<name: string, version: string>,
    attributes map<string, string>,
    error struct<line: long, reason: string>
"""


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    crashsym, reports, symbolicated, groups = sys.argv[1:]
    spark = (SparkSession.builder.master("local[*]").appName("crashsym-fleet").config("spark.ui.enabled", "false")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
             .config("spark.sql.session.timeZone", "UTC").getOrCreate())
    context = spark.sparkContext
    context.setLogLevel("ERROR")
    # One crashsym a partition, each on one thread: Spark runs as many as there are processors.
    lines = context.textFile(reports, minPartitions=2 * context.defaultParallelism)
    start = time.monotonic()
    # checkCode: a crashsym that fails makes the job fail, instead of leaving reports out.
    piped = lines.pipe(f"{crashsym} stream --jobs 1", checkCode=True)
    piped.saveAsTextFile(symbolicated + ".parts")
    seconds = time.monotonic() - start
    # The parts are numbered in the order of the input.
    with open(symbolicated, "wb") as output:
        for part in sorted(pathlib.Path(symbolicated + ".parts").glob("part-*")):
            with part.open("rb") as file:
                shutil.copyfileobj(file, output)
    with open(symbolicated, "rb") as file:
        count = sum(1 for _ in file)
    print(f"Spark's pipe: {count} reports in {seconds:.1f} s, {count / seconds:.0f} reports/s,"
          f" {lines.getNumPartitions()} partitions")

    table = spark.read.text(symbolicated).select(f.from_json("value", SCHEMA).alias("report")).select("report.*")
    by_fault = (
        table.where("error is null").groupBy(f.col("fingerprint.value").alias("fingerprint")).agg(
            f.count("*").alias("count"),
            f.date_format(f.min("timestamp"), "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").alias("firstSeen"),
            f.date_format(f.max("timestamp"), "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").alias("lastSeen"),
            f.sort_array(f.collect_set("application.version")).alias("versions"),
            f.count_distinct(f.col("attributes")["host.name"]).alias("hosts"),
            f.first(f.concat_ws(" in ", "fingerprint.class", f.col("fingerprint.functions")[0])).alias("title"))
        .orderBy(f.desc("count"), f.desc("lastSeen"), "fingerprint"))
    with open(groups, "w", encoding="utf-8") as output:
        for row in by_fault.toJSON().collect():
            output.write(row + "\n")
    print("The largest groups, by Spark:")
    by_fault.select("count", "lastSeen", "hosts", "title").show(5, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
