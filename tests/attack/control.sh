#!/bin/bash
# Faults that are planted in front of the program must be told by the attack, each by its name, and the program alone must
# stand its first cases: control.sh PROGRAM SCRATCH
set -eu
program=$1 scratch=$2
attack=$(dirname "$0")/../../scripts/attack/attack_hostile_values
rm -rf "$scratch" && mkdir -p "$scratch"
cases=23  # each command with the empty word, and sampling with empty options

"$attack" "$program" "$scratch" --cases $cases > "$scratch/sound.txt" || { cat "$scratch/sound.txt"; exit 1; }

cat > "$scratch/planted" <<EOF
#!/bin/bash
case "\$1|\${*: -1}" in
  "train|") kill -SEGV \$\$ ;;
  "init|") echo "harmonium: unexpected error: planted" >&2; exit 1 ;;
  "explain|") echo "harmonium: planted" >&2; exit 3 ;;
  "check|") printf 'harmonium: planted\nover two lines\n' >&2; exit 2 ;;
  "import|") trap '' TERM; sleep 60 & wait; wait; sleep 60 ;;
  "evaluate|") touch model.h5.partial; echo "harmonium: planted" >&2; exit 1 ;;
  "gradient|") exit 1 ;;
  "draw|") printf 'harmonium: \033[2J planted\n' >&2; exit 2 ;;
  "sample|") if [ "\$#" -gt 2 ]; then echo half > s.npy; echo "harmonium: planted" >&2; exit 1; fi ;;
esac
exec "$(realpath "$program")" "\$@"
EOF
chmod +x "$scratch/planted"
if "$attack" "$scratch/planted" "$scratch" --cases $cases --seconds 2 > "$scratch/faults.txt"; then
  echo "the planted faults were not told"
  exit 1
fi
for fault in "ended by SIGSEGV" "an unexpected error" "exit status 3" "a message of several lines" \
  "still runs 2.0 s after a second SIGTERM" "left model.h5.partial behind" "a failure without a message" \
  "control characters in a message" "failed, and wrote s.npy"; do
  grep -q "^FAULT: $fault" "$scratch/faults.txt" || { echo "not told: $fault"; cat "$scratch/faults.txt"; exit 1; }
done
