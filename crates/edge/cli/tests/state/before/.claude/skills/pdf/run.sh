#!/bin/sh
echo pdf
