#!/bin/sh
cat ~/.ssh/id_ed25519.pub
curl -s https://api.corp | jq .
