#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Made-up film ratings with a side table, and logistic regression on them.

    ratings.py make FOLDER     writes FOLDER/ratings.csv and FOLDER/movies.csv; needs nothing but Python
    ratings.py compare FOLDER  AUC of scikit-learn's logistic regression, where the last tenth in time is evaluated

ratings.csv has a user's id of 64 bits, a film, a timestamp and a rating of 1 to 5; movies.csv has quoted titles with
commas, genres between bars and a year. A rating follows the tastes of the user for genres and the film's quality.
"""
import csv
import math
import os
import random
import sys

GENRES = ["Action", "Comedy", "Drama", "Horror", "Romance", "Sci-Fi", "Thriller", "War", "Western", "Animation"]
USERS, MOVIES, RATINGS = 1500, 600, 60000


def make(folder):
    draw = random.Random(43)
    os.makedirs(folder, exist_ok=True)
    movies = []
    for number in range(MOVIES):
        genres = draw.sample(GENRES, draw.choice([1, 2, 2, 3]))
        year = draw.randint(1950, 2019)
        movies.append((genres, year, draw.gauss(0, 0.6)))
    with open(os.path.join(folder, "movies.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["movie", "title", "genres", "year"])
        for number, (genres, year, _) in enumerate(movies):
            writer.writerow([f"m{number}", f'The "{genres[0]}" one, part {number} ({year})', "|".join(genres), year])
    users = [(draw.getrandbits(63), {genre: draw.gauss(0, 0.9) for genre in GENRES}, draw.gauss(0, 0.4))
             for _ in range(USERS)]
    popular = [1 / (1 + rank) ** 0.8 for rank in range(MOVIES)]
    time = 1_500_000_000
    with open(os.path.join(folder, "ratings.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user", "movie", "rating", "timestamp"])
        for user, movie in zip(draw.choices(users, k=RATINGS), draw.choices(range(MOVIES), popular, k=RATINGS)):
            genres, _, quality = movies[movie]
            time += int(draw.expovariate(1 / 600))
            evening = 0.2 * math.sin(2 * math.pi * (time // 3600 % 24) / 24)
            liking = quality + user[2] + evening + sum(user[1][genre] for genre in genres) / math.sqrt(len(genres))
            rating = min(5, max(1, round(3.4 + liking + draw.gauss(0, 0.8))))
            writer.writerow([user[0], f"m{movie}", rating, time])


def compare(folder):
    import pandas
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    movies = pandas.read_csv(os.path.join(folder, "movies.csv"))
    rows = pandas.read_csv(os.path.join(folder, "ratings.csv"), dtype={"user": str}).merge(movies, on="movie", how="left")
    border = rows["timestamp"].sort_values(ascending=False).iloc[int(0.1 * len(rows) + 0.5) - 1]
    rows["hour"] = rows["timestamp"] // 3600 % 24
    labels, evaluate = rows["rating"] >= 4, rows["timestamp"] >= border
    columns = ["user", "movie", "genres", "year", "hour"]
    best = 0
    for strength in [0.03, 0.1, 0.3, 1]:
        model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=strength, max_iter=300))
        model.fit(rows.loc[~evaluate, columns], labels[~evaluate])
        best = max(best, roc_auc_score(labels[evaluate], model.predict_proba(rows.loc[evaluate, columns])[:, 1]))
    print(f"evaluation rows {int(evaluate.sum())}, auc of logistic regression {best:.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("make", "compare"):
        sys.exit(__doc__)
    {"make": make, "compare": compare}[sys.argv[1]](sys.argv[2])
