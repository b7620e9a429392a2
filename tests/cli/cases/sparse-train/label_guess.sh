# The column that is taken for the label where no name tells: classes, not measured numbers, and no column that is named as text.
python3 - <<'P'
import random
random.seed(1)
def write(name, rows, header=None): open(name, "w").write("".join(",".join(map(str, r)) + "\n" for r in ([header] if header else []) + rows))
flowers = [(round(random.gauss(5 + k, 0.4), 1), round(random.gauss(3 + k, 0.4), 1), s) for k, s in enumerate(("setosa", "virginica", "other")) for _ in range(50)]
people = [(random.randrange(20, 60), random.choice(("private", "state")), random.choice(("<=50K", ">50K"))) for _ in range(200)]
patients = [(random.randrange(13), random.randrange(60, 200), round(random.random(), 3), random.randrange(2)) for _ in range(200)]
digits = [(random.randrange(10), random.randrange(256), random.randrange(256), 0) for _ in range(200)]
wines = [(k % 3 + 1, round(12 + random.random(), 2), 700 + random.randrange(900)) for k in range(150)]
physics = [(f"{k % 2}.000e+00", round(random.random(), 4), round(random.random(), 4)) for k in range(150)]
tweets = [(1000 + k, random.choice(("Delta", "United")), random.choice(("negative", "neutral", "positive")), f"the flight {k} was as late as ever") for k in range(150)]
news = [(random.choice(("sport", "tech")), f"headline of {k}", f"the long text of the news number {k}") for k in range(150)]
for name in ("flowers", "people", "patients", "digits", "wines", "physics", "news"): write(name + ".csv", globals()[name])
write("named.csv", flowers, ("sepal length (cm)", "sepal width (cm)", "species"))
write("tweets.csv", tweets, ("tweet_id", "airline", "airline_sentiment", "text"))
P
t() { sparse-train train "$@" -o m -f --no-search --threads 1 2>&1 | grep -E '^sparse-train'; }
for f in flowers named people patients digits wines physics tweets news; do echo "$f"; t $f.csv; sparse-train export m --label-names | sort | head -n 3; done
t people.csv --text-columns 1,3; t people.csv --text-columns 3,1,2; t tweets.csv --text-columns text,airline_sentiment
t tweets.csv --text-columns text,airline_sentiment --label-column airline_sentiment; t tweets.csv --text-columns '*'
t tweets.csv --columns 'airline_sentiment:category,text:text'
