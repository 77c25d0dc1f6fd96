# Small files in the published form of each public data set (docs/public-sets.md), with labels that the features
# explain. Deterministic. Sourced after lib.sh; each function writes below data/ of the current folder.

# rows_of N PROGRAM: runs an awk program, whose row() prints a row, N times. It has draw(N), a number from 0 to N - 1,
# hex(N, DIGITS), a hash of a number, and yes(SHARE).
rows_of() {
  awk -v n="$1" "$2"'
    BEGIN { state = 12345; start(); for (i = 0; i < n; ++i) row() }
    function draw(below) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * below) }
    function yes(share) { return draw(1000) < 1000 * share }
    function hex(number, digits,  text, k) {
      for (k = 0; k < digits; k += 4) { number = (number * 16807 + 7) % 2147483647; text = text sprintf("%04x", number % 65536) }
      return text
    }'
}

# Criteo: a label, 13 integers, 26 hashes between tabs, no header; empty fields. C1 and I2 tell the label.
criteo_like() {
  rows_of "$1" '
    function start() {}
    function row(  line, k, c, number) {
      c = draw(20); number = draw(8)
      line = yes(c % 2 ? 0.05 : 0.6 + number / 20)
      for (k = 1; k <= 13; ++k) line = line "\t" (k == 2 ? number - 2 : yes(0.3) ? "" : draw(3000))
      for (k = 1; k <= 26; ++k) line = line "\t" (k == 1 ? hex(c + 1, 8) : yes(0.2) ? "" : hex(40 * k + draw(30), 8))
      print line
    }'
}

set_criteo_kaggle() {  # dac.tar.gz with train.txt, whose rows are cut by the first command of the deck
  mkdir -p data/criteo
  criteo_like 1600 >data/criteo/train.txt
  criteo_like 2000 | tail -n 400 >data/criteo/test.txt
}

set_criteo_terabyte() {  # day_0.gz to day_23.gz
  mkdir -p data/criteo_terabyte
  criteo_like 2400 >all.txt
  for day in {0..23}; do
    tail -n +$((1 + 100 * day)) all.txt | head -n 100 | gzip -n >"data/criteo_terabyte/day_$day.gz"
  done
  rm all.txt
}

set_adult() {  # adult.data and adult.test of UCI: a comment first, a dot behind the label, an empty last line
  mkdir -p data/adult
  adult_like() {
    rows_of "$1" '
      function start() { split("Private,Self-emp-not-inc,?,State-gov", work, ","); split("HS-grad,Bachelors,11th,Masters", school, ",")
        split("Husband,Wife,Own-child,Not-in-family", kin, ","); split("United-States,Mexico,?", land, ",") }
      function row(  e, k, age) {
        e = draw(4); k = draw(4); age = 17 + draw(60)
        print age ", " work[1 + draw(4)] ", " 10000 + draw(900000) ", " school[e + 1] ", " 7 + 2 * e ", Never-married, " \
          (yes(0.1) ? "?" : "Sales") ", " kin[k + 1] ", White, " (k == 1 ? "Female" : "Male") ", " \
          (yes(0.1) ? draw(99999) : 0) ", 0, " 20 + draw(50) ", " land[1 + draw(3)] ", " \
          (yes((e % 2 + (k < 2)) * 0.4 + 0.05) ? ">50K" : "<=50K")
      }'
  }
  { adult_like 1600; echo; } >data/adult/adult.data
  { echo '|1x3 Cross validator'; adult_like 2000 | tail -n 400 | sed 's/K$/K./'; echo; } >data/adult/adult.test
}

set_avazu() {  # train.gz: ids of 20 digits, hours as YYMMDDHH, hashes, small integers, -1
  mkdir -p data/avazu
  rows_of 2000 '
    function start() { print "id,click,hour,C1,banner_pos,site_id,site_domain,site_category,app_id,app_domain,app_category,device_id,device_ip,device_model,device_type,device_conn_type,C14,C15,C16,C17,C18,C19,C20,C21" }
    function row(  site, app, line) {
      site = draw(20); app = draw(12)
      line = 1000 + i; for (k = 0; k < 16; ++k) line = line draw(10)
      line = line "," yes(site % 2 ? 0.05 : 0.3 + 0.4 * (app % 2)) "," sprintf("1410%02d%02d", 21 + i / 200, int(i / 9) % 24)
      line = line "," (yes(0.9) ? 1005 : 1002) "," draw(2) "," hex(site + 1, 8) "," hex(site + 50, 8) "," hex(site % 4 + 90, 8)
      line = line "," hex(app + 200, 8) "," hex(app + 250, 8) ",07d7df22,a99f214a," hex(1000 + int(i / 6), 8) "," hex(500 + draw(40), 8)
      print line "," draw(2) "," 2 * draw(2) "," 15000 + draw(50) ",320,50," 1700 + draw(9) "," draw(4) "," 35 + draw(4) "," \
        (yes(0.5) ? -1 : 100000 + draw(90)) "," 79 + draw(5)
    }' | gzip -n >data/avazu/train.gz
}

set_movielens_20m() {  # ml-20m: ratings.csv by user, movies.csv with quoted titles and genres between bars
  mkdir -p data/ml-20m
  rows_of 3000 '
    function start() { print "userId,movieId,rating,timestamp" }
    function row(  movie) {
      movie = 1 + draw(60)
      printf "%d,%d,%.1f,%d\n", 1 + i / 25, movie, (yes(movie % 3 ? 0.85 : 0.1) ? 4 + draw(3) / 2 : 0.5 + draw(7) / 2), 1112486027 + draw(90000000)
    }' >data/ml-20m/ratings.csv
  rows_of 60 '
    function start() { print "movieId,title,genres"; split("Adventure|Comedy|Drama|Film-Noir|Sci-Fi", genre, "|") }
    function row() {
      print i + 1 "," (i % 5 ? "Heat " i " (1995)" : i % 2 ? "\"American President, The (1995)\"" : "\"\"\"Great\"\" Performances, The (1975)\"") "," \
        (i == 7 ? "(no genres listed)" : i % 3 ? genre[1 + i % 5] "|" genre[1 + (i + 2) % 5] : genre[1 + i % 5])
    }' >data/ml-20m/movies.csv
}

set_kuairand_pure() {  # KuaiRand-Pure: three logs, features and statistics of users and videos, tags in quotes
  local folder=data/KuaiRand-Pure/data
  mkdir -p $folder
  kuairand_log() { # ROWS FIRST_DAY RANDOM
    rows_of "$1" '
      function start() { print "user_id,video_id,date,hourmin,time_ms,is_click,is_like,is_follow,is_comment,is_forward,is_hate,long_view,play_time_ms,duration_ms,profile_stay_time,comment_stay_time,is_profile_enter,is_rand,tab" }
      function row(  user, video, click, time) {
        user = draw(50); video = draw(40); click = yes(0.1 + 0.4 * (user % 2) + 0.4 * (video % 2)); time = '"$2"' + int(i * 900000 / n)
        print user "," video "," strftime("%Y%m%d,%H00", time + 28800, 1) "," time "000," click "," click * yes(0.1) ",0,0,0,0," \
          click * yes(0.5) "," click * (7000 + draw(9000)) "," 5000 + draw(60000) ",0,0,0,'"$3"'," draw(5)
      }'
  }
  kuairand_log 1600 1649350000 0 >$folder/log_standard_4_08_to_4_21_pure.csv
  kuairand_log 500 1650560000 0 >$folder/log_standard_4_22_to_5_08_pure.csv
  kuairand_log 500 1650560000 1 >$folder/log_random_4_22_to_5_08_pure.csv
  rows_of 50 '
    function start(  k) {
      line = "user_id,user_active_degree,is_lowactive_period,is_live_streamer,is_video_author,follow_user_num,follow_user_num_range,fans_user_num,fans_user_num_range,friend_user_num,friend_user_num_range,register_days,register_days_range"
      for (k = 0; k < 18; ++k) line = line ",onehot_feat" k
      print line
    }
    function row(  k) {
      line = i ",full_active,0," (yes(0.1) ? -124 : 0) "," draw(2) "," draw(500) ",\"(250,500]\"," draw(90) ",\"[10,100)\"," draw(9) ",\"[5,30)\"," 100 + draw(3000) ",730+"
      for (k = 0; k < 18; ++k) line = line "," (k == 4 || k > 11 ? (yes(0.05) ? "" : draw(2) ".0") : draw(3 + k))
      print line
    }' >$folder/user_features_pure.csv
  rows_of 40 '
    function start() { print "video_id,author_id,video_type,upload_dt,upload_type,visible_status,video_duration,server_width,server_height,music_id,music_type,tag" }
    function row() {
      print i "," 400 + draw(30) "," (yes(0.9) ? "NORMAL" : "AD") ",2022-04-" 10 + draw(15) "," (yes(0.5) ? "ShortImport" : "LongImport") ",0.0," \
        (yes(0.1) ? "" : 5000 + draw(90000) ".0") ",720.0,1280.0," 9155697000 + draw(30) "," (yes(0.1) ? "" : draw(9) ".0") "," \
        (i == 3 ? "" : i % 2 ? "\"12," 60 + draw(9) "\"" : draw(40))
    }' >$folder/video_features_basic_pure.csv
  rows_of 40 '
    function start(  k) {
      line = "video_id,counts,show_cnt,show_user_num,play_cnt,play_user_num,play_duration,complete_play_cnt,complete_play_user_num,valid_play_cnt,valid_play_user_num,long_time_play_cnt,long_time_play_user_num,short_time_play_cnt,short_time_play_user_num,play_progress,comment_stay_duration,like_cnt,like_user_num,click_like_cnt,double_click_cnt,cancel_like_cnt,cancel_like_user_num,comment_cnt,comment_user_num,direct_comment_cnt,reply_comment_cnt,delete_comment_cnt,delete_comment_user_num,comment_like_cnt,comment_like_user_num,follow_cnt,follow_user_num,cancel_follow_cnt,cancel_follow_user_num,share_cnt,share_user_num,download_cnt,download_user_num,report_cnt,report_user_num,reduce_similar_cnt,reduce_similar_user_num,collect_cnt,collect_user_num,cancel_collect_cnt,cancel_collect_user_num,direct_comment_user_num,reply_comment_user_num,share_all_cnt,share_all_user_num,outsite_share_all_cnt"
      print line
    }
    function row(  k) {
      line = i "," 10 + draw(60)
      for (k = 0; k < 50; ++k) line = line "," draw(90) "." draw(999)
      print line
    }' >$folder/video_features_statistic_pure.csv
}

set_open_bandit() {  # random/men: an index without a name, times with an offset, hashes, affinities; items' features
  local folder=data/open_bandit_dataset/random/men
  mkdir -p $folder
  rows_of 2000 '
    function start(  k) {
      line = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,user_feature_3"
      for (k = 0; k < 34; ++k) line = line ",user-item_affinity_" k
      print line
    }
    function row(  item, user, k) {
      item = draw(34); user = draw(6)
      line = i "," strftime("2019-11-%d %H:%M:%S", 3600 * 24 * (22 + int(i / 290)) + (i * 91) % 80000, 1) sprintf(".%06d+00:00", draw(999999))
      line = line "," item "," 1 + draw(3) "," yes(0.02 + 0.3 * (item % 2) + 0.4 * (user % 2)) ",0.029411764705882353"
      line = line "," hex(user + 1, 32) "," hex(draw(5) + 20, 32) "," hex(draw(9) + 40, 32) "," hex(draw(4) + 70, 32)
      for (k = 0; k < 34; ++k) line = line "," (yes(0.02) ? draw(3) + 1 ".0" : "0.0")
      print line
    }' >$folder/men.csv
  rows_of 34 '
    function start() { print ",item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3" }
    function row() { print i "," i ",-0." 100000 + draw(800000) "," hex(draw(9) + 90, 32) "," hex(draw(3) + 120, 32) "," hex(draw(3) + 140, 32) }' >$folder/item_context.csv
}

# Parquet files stand in tests/app/sets, made by make_parquet.py there.
set_yambda_50m() {
  mkdir -p data/yambda/flat/50m
  cp "$(dirname "${BASH_SOURCE[0]}")/sets/listens.parquet" data/yambda/flat/50m
}

set_tencentgr_1m() {
  mkdir -p data
  cp -r "$(dirname "${BASH_SOURCE[0]}")/sets/TencentGR-1M" data
}
