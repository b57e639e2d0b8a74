#!/bin/sh
exec cargo fmt --all
