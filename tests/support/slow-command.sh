#!/bin/sh
# slow-command DIR MARK WORDS COMMAND [ARGUMENT…]: runs the command. While there is a file DIR/MARK, the next command with
# these words in it takes the file away (DIR/MARK.held appears), waits for DIR/MARK.go, and leaves its code in DIR/MARK.code.
dir=$1 mark=$2 words=$3
shift 3
case " $* " in *"$words"*) ;; *) exec "$@" ;; esac
mv "$dir/$mark" "$dir/$mark.held" 2>/dev/null || exec "$@"
until [ -e "$dir/$mark.go" ]; do sleep 0.1; done
"$@"
code=$?
echo "$code" >"$dir/$mark.code"
exit "$code"
