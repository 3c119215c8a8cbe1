"""Compares Spark's groups with those of `crashsym group --format json`: compare_groups.py SPARK CRASHSYM"""

import json
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        spark = [json.loads(line) for line in file]
    with open(sys.argv[2], encoding="utf-8") as file:
        groups = json.load(file)["groups"]
    expected = [
        {"fingerprint": group["fingerprint"], "count": group["count"], "firstSeen": group["firstSeen"],
         "lastSeen": group["lastSeen"], "versions": sorted(group["versions"]), "hosts": len(group["hosts"]),
         "title": group["title"]}
        for group in groups
    ]
    for number, (left, right) in enumerate(zip(spark, expected)):
        if left != right:
            sys.exit(f"group {number + 1} differs:\n  Spark    {left}\n  crashsym {right}")
    if len(spark) != len(expected):
        sys.exit(f"Spark found {len(spark)} groups, crashsym {len(expected)}")
    print(f"Spark's {len(spark)} groups are those of crashsym group: counts, times, versions, hosts, titles and order")


if __name__ == "__main__":
    main()
