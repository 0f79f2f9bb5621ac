# ns-2: 21 nodes on 120 m x 80 m, three legs each
$node_(0) set X_ 84.0
$node_(0) set Y_ 37.0
$node_(0) set Z_ 0.0
$node_(1) set X_ 99.0
$node_(1) set Y_ 50.0
$node_(1) set Z_ 0.0
$node_(2) set X_ 106.0
$node_(2) set Y_ 72.0
$node_(2) set Z_ 0.0
$node_(3) set X_ 8.0
$node_(3) set Y_ 64.0
$node_(3) set Z_ 0.0
$node_(4) set X_ 104.0
$node_(4) set Y_ 36.0
$node_(4) set Z_ 0.0
$node_(5) set X_ 88.0
$node_(5) set Y_ 11.0
$node_(5) set Z_ 0.0
$node_(6) set X_ 25.0
$node_(6) set Y_ 19.0
$node_(6) set Z_ 0.0
$node_(7) set X_ 52.0
$node_(7) set Y_ 65.0
$node_(7) set Z_ 0.0
$node_(8) set X_ 36.0
$node_(8) set Y_ 53.0
$node_(8) set Z_ 0.0
$node_(9) set X_ 74.0
$node_(9) set Y_ 18.0
$node_(9) set Z_ 0.0
$node_(10) set X_ 78.0
$node_(10) set Y_ 36.0
$node_(10) set Z_ 0.0
$node_(11) set X_ 6.0
$node_(11) set Y_ 32.0
$node_(11) set Z_ 0.0
$node_(12) set X_ 57.0
$node_(12) set Y_ 40.0
$node_(12) set Z_ 0.0
$node_(13) set X_ 28.0
$node_(13) set Y_ 54.0
$node_(13) set Z_ 0.0
$node_(14) set X_ 25.0
$node_(14) set Y_ 14.0
$node_(14) set Z_ 0.0
$node_(15) set X_ 22.0
$node_(15) set Y_ 61.0
$node_(15) set Z_ 0.0
$node_(16) set X_ 21.0
$node_(16) set Y_ 21.0
$node_(16) set Z_ 0.0
$node_(17) set X_ 5.0
$node_(17) set Y_ 5.0
$node_(17) set Z_ 0.0
$node_(18) set X_ 31.0
$node_(18) set Y_ 32.0
$node_(18) set Z_ 0.0
$node_(19) set X_ 26.0
$node_(19) set Y_ 26.0
$node_(19) set Z_ 0.0
$node_(20) set X_ 42.0
$node_(20) set Y_ 45.0
$node_(20) set Z_ 0.0
$ns_ at 8.0 "$node_(0) setdest 74.0 31.0 3.0"
$ns_ at 26.0 "$node_(0) setdest 54.0 43.0 2.0"
$ns_ at 51.0 "$node_(0) setdest 58.0 26.0 3.0"
$ns_ at 10.0 "$node_(1) setdest 13.0 47.0 4.0"
$ns_ at 20.0 "$node_(1) setdest 81.0 48.0 2.0"
$ns_ at 49.0 "$node_(1) setdest 50.0 44.0 5.0"
$ns_ at 12.0 "$node_(2) setdest 28.0 66.0 5.0"
$ns_ at 25.0 "$node_(2) setdest 12.0 37.0 2.0"
$ns_ at 51.0 "$node_(2) setdest 113.0 56.0 2.0"
$ns_ at 15.0 "$node_(3) setdest 51.0 53.0 6.0"
$ns_ at 20.0 "$node_(3) setdest 62.0 10.0 3.0"
$ns_ at 46.0 "$node_(3) setdest 20.0 36.0 5.0"
$ns_ at 13.0 "$node_(4) setdest 70.0 50.0 6.0"
$ns_ at 28.0 "$node_(4) setdest 104.0 64.0 2.0"
$ns_ at 51.0 "$node_(4) setdest 115.0 42.0 2.0"
$ns_ at 15.0 "$node_(5) setdest 16.0 31.0 4.0"
$ns_ at 31.0 "$node_(5) setdest 23.0 48.0 4.0"
$ns_ at 42.0 "$node_(5) setdest 44.0 45.0 4.0"
$ns_ at 7.0 "$node_(6) setdest 107.0 15.0 3.0"
$ns_ at 29.0 "$node_(6) setdest 66.0 25.0 2.0"
$ns_ at 42.0 "$node_(6) setdest 81.0 73.0 5.0"
$ns_ at 3.0 "$node_(7) setdest 35.0 49.0 4.0"
$ns_ at 34.0 "$node_(7) setdest 88.0 58.0 3.0"
$ns_ at 41.0 "$node_(7) setdest 86.0 9.0 5.0"
$ns_ at 12.0 "$node_(8) setdest 112.0 31.0 3.0"
$ns_ at 24.0 "$node_(8) setdest 85.0 57.0 2.0"
$ns_ at 45.0 "$node_(8) setdest 60.0 52.0 3.0"
$ns_ at 3.0 "$node_(9) setdest 113.0 58.0 4.0"
$ns_ at 24.0 "$node_(9) setdest 63.0 26.0 6.0"
$ns_ at 54.0 "$node_(9) setdest 67.0 45.0 5.0"
$ns_ at 10.0 "$node_(10) setdest 42.0 65.0 5.0"
$ns_ at 24.0 "$node_(10) setdest 19.0 53.0 6.0"
$ns_ at 45.0 "$node_(10) setdest 85.0 68.0 4.0"
$ns_ at 7.0 "$node_(11) setdest 16.0 67.0 4.0"
$ns_ at 31.0 "$node_(11) setdest 13.0 50.0 6.0"
$ns_ at 41.0 "$node_(11) setdest 102.0 44.0 4.0"
$ns_ at 10.0 "$node_(12) setdest 111.0 67.0 4.0"
$ns_ at 29.0 "$node_(12) setdest 48.0 27.0 6.0"
$ns_ at 40.0 "$node_(12) setdest 65.0 75.0 4.0"
$ns_ at 12.0 "$node_(13) setdest 90.0 40.0 5.0"
$ns_ at 29.0 "$node_(13) setdest 109.0 69.0 4.0"
$ns_ at 51.0 "$node_(13) setdest 40.0 49.0 5.0"
$ns_ at 13.0 "$node_(14) setdest 112.0 27.0 5.0"
$ns_ at 31.0 "$node_(14) setdest 47.0 71.0 3.0"
$ns_ at 45.0 "$node_(14) setdest 30.0 51.0 5.0"
$ns_ at 11.0 "$node_(15) setdest 93.0 15.0 5.0"
$ns_ at 25.0 "$node_(15) setdest 83.0 71.0 5.0"
$ns_ at 49.0 "$node_(15) setdest 84.0 75.0 4.0"
$ns_ at 2.0 "$node_(16) setdest 30.0 25.0 6.0"
$ns_ at 34.0 "$node_(16) setdest 84.0 28.0 3.0"
$ns_ at 45.0 "$node_(16) setdest 85.0 10.0 5.0"
$ns_ at 9.0 "$node_(17) setdest 26.0 11.0 3.0"
$ns_ at 23.0 "$node_(17) setdest 45.0 28.0 5.0"
$ns_ at 46.0 "$node_(17) setdest 75.0 9.0 5.0"
$ns_ at 16.0 "$node_(18) setdest 49.0 53.0 6.0"
$ns_ at 22.0 "$node_(18) setdest 80.0 31.0 3.0"
$ns_ at 51.0 "$node_(18) setdest 5.0 49.0 5.0"
$ns_ at 10.0 "$node_(19) setdest 114.0 57.0 2.0"
$ns_ at 31.0 "$node_(19) setdest 9.0 75.0 6.0"
$ns_ at 49.0 "$node_(19) setdest 17.0 42.0 6.0"
$ns_ at 12.0 "$node_(20) setdest 79.0 42.0 4.0"
$ns_ at 24.0 "$node_(20) setdest 58.0 57.0 6.0"
$ns_ at 51.0 "$node_(20) setdest 64.0 23.0 3.0"
